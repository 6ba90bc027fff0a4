import { catalogue } from '../../../web/catalogue.ts';
import { en } from './texts/en.ts';

/** The texts of the mailbox for development. */
export const texts = catalogue({ en });
