/** A safe piece of HTML. Only {@link html} creates one, and it escapes its values. */
export class Html {
  readonly #text: string;

  constructor(strings: readonly string[], values: readonly Content[]) {
    this.#text = strings.map((part, index) => part + render(values[index])).join('');
  }

  toString(): string {
    return this.#text;
  }

  /** The text of a piece that {@link html} created; escapes any other value. */
  static textOf(value: unknown): string {
    return typeof value === 'object' && value !== null && #text in value ? value.#text : escapeText(String(value));
  }
}

/** A value in a template: pieces are kept, strings escaped, lists joined, and absent values omitted. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

/**
 * Creates a piece of HTML. Every value is escaped unless it is a piece itself. The escaping is safe in text and in
 * quoted attributes; an unquoted attribute must not have an untrusted value.
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

/** Puts a text between the items of a list. */
export function joined(items: readonly Content[], between: string): Html {
  return html`${items.map((item, index) => [index > 0 && between, item])}`;
}
