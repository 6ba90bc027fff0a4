import { catalogue } from '../../../web/catalogue.ts';
import { en } from './texts/en.ts';

/** The texts of the mailbox for development, and of the page to unsubscribe. */
export const texts = catalogue({ en });
