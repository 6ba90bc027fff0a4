import { catalogue } from './catalogue.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';

/** The texts that pages of all services share. */
export const texts = catalogue({ en, de });
