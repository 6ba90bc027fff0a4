import { inbox } from './en/inbox.ts';
import { websites } from './en/websites.ts';

/** The texts of connect's pages in English. */
export const en = { inbox, websites };
