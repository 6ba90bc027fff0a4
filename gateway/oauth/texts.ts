import { catalogue } from '../../web/catalogue.ts';
import { en } from './texts/en.ts';

/** The texts of the pages of OAuth: consent, logout and errors. */
export const texts = catalogue({ en });
