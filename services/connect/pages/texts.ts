import { catalogue } from '../../../web/catalogue.ts';
import { en } from './texts/en.ts';

/** The texts of connect's pages. */
export const texts = catalogue({ en });
