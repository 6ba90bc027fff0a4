/** A piece of HTML that is safe to put into a page: only {@link html} makes one, and it escapes what it is given. */
export class Html {
  readonly #text: string;

  constructor(strings: readonly string[], values: readonly Content[]) {
    this.#text = strings.map((part, index) => part + render(values[index])).join('');
  }

  toString(): string {
    return this.#text;
  }

  /** The text of a piece that {@link html} made; of anything else, the text escaped. */
  static textOf(value: unknown): string {
    return typeof value === 'object' && value !== null && #text in value ? value.#text : escapeText(String(value));
  }
}

/** What may stand in a template: pieces as they are, texts escaped, lists joined, and nothing for what is absent. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

/**
 * Makes a piece of HTML. Every value is escaped unless this function made it, for text and for attributes in double or
 * single quotes alike: an attribute without quotes must not have a value from outside.
 */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(strings, values);
}

function render(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  return Array.isArray(value) ? value.map(render).join('') : Html.textOf(value);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
