import { framePages } from './frame.ts';
import { inboxPages } from './inbox/inbox.ts';
import { websitesPages } from './websites/websites.ts';

/** The pages of connect: the widget's frame, the agents' inbox, and the settings of websites. */
export const pageActions = { ...framePages, ...inboxPages, ...websitesPages };
