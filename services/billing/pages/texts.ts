import { catalogue } from '../../../web/catalogue.ts';
import { en } from './texts/en.ts';

/** The texts of billing's pages. */
export const texts = catalogue({ en });
