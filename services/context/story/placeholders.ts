/** The words that programs write where a value is missing. */
const missingWords = new Set(['null', 'undefined', 'nil', 'nan', 'none']);

/** Placeholders in an id or in the local part of an address. */
const nothing = new Set([
  ...missingWords,
  ...[
    'anonymous',
    'anon',
    'unknown',
    'unspecified',
    'unassigned',
    'unidentified',
    'unset',
    'guest',
    'nobody',
    'missing',
  ],
  ...['empty', 'placeholder', 'tbd', 'dbnull', 'object', 'infinity', 'invalid', 'true', 'false'],
]);
const notGiven = /^not (?:set|provided|available|applicable|found|specified|defined|known|given|logged in|signed in)$/;

/** Words that name the kind of a value next to a missing one: `user_undefined`, `customer:null`, `no id`. */
const kinds = new Set(
  (
    'id ids uid uuid guid user users customer cus client contact visitor account member person profile name order email ' +
    'mail phone value'
  ).split(' '),
);

/** A field's own name in place of its value: `customer_id`, `YOUR_USER_ID`. */
const fieldName =
  /^(?:(?:your|my|the) )?(?:user|customer|client|contact|visitor|account|member|profile|order) ?(?:id|uuid|guid|uid)$/;

const notApplicable = /^[^a-z\d]*n\/a[^a-z\d]*$/i;

/** Slots of template languages: `{{id}}`, `${id}`, `#{id}`, `<%= id %>`, `{% id %}`, `*|ID|*`, `%%id%%`, `[[id]]`. */
const slot = /\{\{[^}]*\}\}|[$#@]\{[^}]*\}|<%[^>]*%>|\{%[^}]*%\}|\*\|[^|]*\|\*|%%\w+%%|@@\w+@@|\[\[[^\]]*\]\]/g;

/** The beginning or end of one, of a text that was cut. */
const marker = /\{\{|\}\}|[$#@]\{|<%|%>|\{%|%\}|\*\||\|\*|%%\w+%%|@@\w+@@|\[\[|\]\]/;

/** `{id}`, `{0}`, `<nil>`, `<user id>`. A GUID in braces is an id. */
const bracketed = /\{[a-z_][\w. ]{0,29}\}|\{\d{0,2}\}|<[a-z_/][\w. :-]*>/i;

/** `%s`, `%1$s`, `%(id)s`, `%!d(MISSING)`; `%40` is an encoded character. */
const printf = /%(?![\da-f]{2})(?:\d+\$|\(\w+\))?[-+#]?\d*[sdivu@](?![a-z\d])|%![a-z]\(/i;

/** A variable or a slot that is the whole value: `$userId`, `:id`, `%USER_ID%`, `[user id]`. */
const variable = /^(?:\$[a-z_][\w.]*|:[a-z_]\w*|%\w+%|\[[^\]]*\])$/i;

/** Each slot has one of these, and most ids have none. */
const slotCharacter = /[{}<>%$:@*[\]]/;

/** Every missing text matches this; most other texts do not. */
const suspicious = /[{<%*[(]|null|undefined|nil|nan|none/i;

const letterOrDigit = /[\p{L}\p{N}]/u;

/** Whether a value holds a slot of a template that was not filled. */
export function isTemplate(value: string): boolean {
  if (!slotCharacter.test(value)) return false;
  return marker.test(value) || bracketed.test(value) || printf.test(value) || variable.test(value.trim());
}

/**
 * Whether a value is a placeholder: `null`, `<nil>`, `(not set)`, `undefined undefined`, `user_null`, `N/A`, `---`,
 * `0`.
 */
export function isNothing(value: string): boolean {
  // No word below has a digit.
  if (/[1-9]/.test(value)) return value.trim() === '-1';
  if (!letterOrDigit.test(value.replaceAll('0', '')) || notApplicable.test(value)) return true;
  const words = wordsOf(value);
  const text = words.join(' ');
  const [first, ...others] = words;
  const isLacking = first === 'no' && others.length > 0 && others.every((word) => kinds.has(word));
  const telling = words.filter((word) => !kinds.has(word));
  const isMissing = telling.length > 0 && telling.every((word) => nothing.has(word));
  return isMissing || isLacking || notGiven.test(text) || fieldName.test(text);
}

/** Whether a text has only missing values and slots: `{{first}} {{last}}`, `(null)`, `undefined null`. */
export function isMissingText(text: string): boolean {
  if (!suspicious.test(text)) return false;
  const rest = text.replace(slot, '');
  if (!letterOrDigit.test(rest)) return rest !== text;
  return wordsOf(rest).every((word) => missingWords.has(word)) || notApplicable.test(rest);
}

/** `userId`, `USER_ID`, `user-id` → `user`, `id`. */
function wordsOf(value: string): string[] {
  return value
    .replace(/([a-z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}
