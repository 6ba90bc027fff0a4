/** The user of a website, as its page names them. */
export type WidgetUser = { id: string; name?: string; email?: string; issuedAt?: string };

export type WidgetOptions = {
  tenantId: string;
  /** Default: the organization's first site. */
  siteId?: string;
  user?: WidgetUser;
  /** The hex HMAC-SHA256 of `user.id`, `user.email` and `user.issuedAt` under the site's secret. */
  userHash?: string;
  /** A language tag; default: the language of the page. */
  locale?: string;
};

/** A message of the organization, as `onMessage` gets it. */
export type TeamMessage = {
  messageId: string;
  conversationId: string;
  text: string;
  name: string | null;
  createdAt: string;
};

/** What the loader posts to the frame. The token goes this way, and never in an address. */
export type ToFrame =
  | { type: 'init'; options: WidgetOptions; token: string | null; isRightToLeft: boolean }
  | { type: 'open' }
  | { type: 'close' };

/** What the frame posts to the loader. */
export type ToLoader =
  | { type: 'ready' }
  /** Null: the former token is of no use any more. */
  | { type: 'token'; token: string | null }
  | { type: 'close' }
  | { type: 'unread'; count: number }
  | { type: 'message'; message: TeamMessage }
  /** The site's widget is turned off, or the visitor is blocked. */
  | { type: 'off' };
