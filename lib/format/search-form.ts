/** Letters that Unicode does not decompose, as people without them on the keyboard type them. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  '’': "'",
  ʼ: "'",
};
const plainLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu');

/**
 * The form of a text for searches that ignore case, accents, widths and invisible characters: `Zoë  Łukasz` is `zoe
 * lukasz`. Both the stored texts and the search take it. Not for comparisons that decide about rights.
 */
export function searchForm(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(plainLetter, (letter) => plainLetters[letter] ?? letter)
    .replace(/\s+/gu, ' ')
    .trim();
}

/** A text from the beginning of each of its words: `anna maria` gives itself and `maria`. */
export function fromEachWord(text: string): string[] {
  return [...text.matchAll(/(?<![\p{L}\p{N}'])[\p{L}\p{N}]/gu)].map(({ index }) => text.slice(index));
}
