/** The user of a website, as passed by its page. */
type WidgetUser = { id: string; name?: string; email?: string; issuedAt?: string };

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

/** A message of the organization, as passed to `onMessage`. */
export type TeamMessage = {
  messageId: string;
  conversationId: string;
  text: string;
  name: string | null;
  createdAt: string;
};

/** Messages from the loader to the frame. The token is sent this way, and never in a URL. */
export type ToFrame =
  | { type: 'init'; options: WidgetOptions; token: string | null; isRightToLeft: boolean }
  | { type: 'open' }
  | { type: 'close' };

/** Messages from the frame to the loader. */
export type ToLoader =
  | { type: 'ready' }
  /** Null when the previous token is no longer valid. */
  | { type: 'token'; token: string | null }
  | { type: 'close' }
  | { type: 'unread'; count: number }
  | { type: 'message'; message: TeamMessage }
  /** The site's widget is disabled, or the visitor is blocked. */
  | { type: 'off' };
