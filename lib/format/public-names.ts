import { singleLine } from '../contract/input.ts';
import { settings } from '../settings/settings.ts';

const webAddress = /[a-z][a-z0-9+.-]*:\/\/|\bwww\.\S|\S@\S|[\p{L}\p{N}-]+\.\p{L}{2,}/giu;
/** Company forms look like domains when the space is missing. */
const companyForm = /^(?:co|inc|ltd)\.\p{L}+$/iu;

/** Whether a text contains an address that mail programs turn into a link. */
function holdsAddress(text: string): boolean {
  return (text.match(webAddress) ?? []).some((found) => !companyForm.test(found));
}

/** A name that strangers read in mails: without addresses, which would become links there. */
export const publicName = (maxLength: number) =>
  singleLine(maxLength).refine((text) => !holdsAddress(text), 'Must not contain a web or email address.');

export const brandProblem = 'Must not be the name of this platform.';

/** A person's name that strangers read in mails; it cannot be the platform's. */
export const personName = (maxLength: number) =>
  publicName(maxLength).refine((text) => !holdsBrand(text), brandProblem);

/**
 * Rewrites a text so that no mail program finds an address in it, for names that were stored before the check existed.
 */
export function withoutLinks(text: string): string {
  // The address of a person without a name; a mail program links it only for writing to it.
  if (/^[^\s@/]+@[^\s@/]+$/.test(text)) return text;
  return text.replace(webAddress, (found) => found.replace('://', ': //').replace('@', ' @ ').replaceAll('.', '. '));
}

/** Letters of other scripts, and digits, that look like Latin letters. */
const lookalikes: Record<string, string> = {
  ...{ а: 'a', е: 'e', о: 'o', р: 'p', с: 'c', у: 'y', х: 'x', і: 'i', ѕ: 's', ј: 'j', һ: 'h', ԁ: 'd', м: 'm', т: 't' },
  ...{ к: 'k', в: 'b', н: 'h', ο: 'o', α: 'a', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ρ: 'p', τ: 't', υ: 'u', χ: 'x' },
  ...{ '0': 'o', '1': 'l', '3': 'e', '5': 's', '7': 't', '|': 'l', ı: 'i' },
};

function folded(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase();
  const latin = [...plain].map((character) => lookalikes[character] ?? character).join('');
  return latin.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Whether a name contains the words of the platform's name, also in lookalike letters or with gaps. */
export function holdsBrand(text: string, brand: string = settings.BRAND_NAME): boolean {
  const [words, own] = [folded(text), folded(brand)];
  if (own.length === 0) return false;
  return ` ${words.join(' ')} `.includes(` ${own.join(' ')} `) || words.join('') === own.join('');
}
