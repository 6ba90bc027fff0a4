/**
 * Why a request was refused: in the words of the page by the code of the error (`data-refusals`), empty for another code;
 * the message of the API on a page without such words.
 */
export function refusalWords(words: string | undefined, code: string, message: string): string {
  return words === undefined ? message : ((JSON.parse(words) as Record<string, string | undefined>)[code] ?? '');
}
