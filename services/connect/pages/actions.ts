import { framePages } from './frame.ts';

/** The pages of connect: the widget's frame, the agents' inbox, and the settings of websites. */
export const pageActions = {
  ...framePages,
};
