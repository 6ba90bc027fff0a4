/** A text whose first letter is a capital one, as at the beginning of a sentence. */
export function capitalize(text: string): string {
  const [first = '', ...rest] = text;
  return first.toUpperCase() + rest.join('');
}
