import type { Row } from './row.ts';

const from = 'Endpoints, Connect; decisions, Mail, notification, connect';
const elsewhere = 'decisions, Mail, notification, connect';

/** Websites, their visitors, and the conversations with them. */
export const connectRows = {
  'conversations.list': {
    from,
    route: 'GET /v1/conversations',
    says: 'GET /v1/conversations?limit= answers the conversations with customerName, lastMessage and status',
  },
  'conversations.read': {
    from: elsewhere,
    route: 'GET /v1/conversations/:id',
    says: 'GET /v1/conversations/:id answers one with its visitor',
  },
  'conversations.update': {
    from: elsewhere,
    route: 'PATCH /v1/conversations/:id',
    says: 'PATCH /v1/conversations/:id changes status and assignee',
  },
  'conversations.messages': {
    from: elsewhere,
    route: 'GET /v1/conversations/:id/messages',
    says: 'GET …/messages?after= answers messages and notes under numbers without gaps',
  },
  'conversations.answer': {
    from: elsewhere,
    route: 'POST /v1/conversations/:id/messages',
    says: 'POST …/messages answers the visitor, once for an echoId',
  },
  'conversations.note': {
    from: elsewhere,
    route: 'POST /v1/conversations/:id/notes',
    says: 'POST …/notes adds a note that no visitor sees',
  },
  'conversations.read-up-to': {
    from: elsewhere,
    route: 'POST /v1/conversations/:id/read',
    says: 'POST …/read marks what was read, which the visitor sees',
  },
  'conversations.typing': {
    from: elsewhere,
    route: 'POST /v1/conversations/:id/typing',
    says: 'POST …/typing shows the visitor that an agent is typing',
  },
  'conversations.looking': {
    from: 'issue 42',
    route: 'POST /v1/conversations/:id/looking',
    says: 'POST …/looking shows the other agents who has a conversation open',
  },
  'conversations.file': {
    from: elsewhere,
    route: 'POST /v1/conversations/:id/attachments',
    says: 'POST …/attachments signs an address for a file of an answer',
  },
  'conversations.read-file': {
    from: elsewhere,
    route: 'GET /v1/conversations/:id/attachments/:attachmentId',
    says: 'GET …/attachments/:attachmentId signs an address to read a file by',
  },
  'connect.stream': {
    from: elsewhere,
    route: 'GET /v1/connect/stream',
    says: 'GET /v1/connect/stream hints at what changes in the inbox',
  },
  'connect.settings': {
    from: elsewhere,
    route: 'GET /v1/connect/settings',
    says: 'GET /v1/connect/settings answers those of the first site',
  },
  'connect.settings-write': {
    from: elsewhere,
    route: 'PUT /v1/connect/settings',
    says: 'PUT /v1/connect/settings changes allowed origins, greeting, colour and the switch',
  },
  'connect.sites': {
    from: elsewhere,
    route: 'GET /v1/connect/sites',
    says: 'GET /v1/connect/sites lists the sites',
  },
  'connect.sites-create': {
    from: elsewhere,
    route: 'POST /v1/connect/sites',
    says: 'POST /v1/connect/sites adds a site',
  },
  'connect.sites-read': {
    from: elsewhere,
    route: 'GET /v1/connect/sites/:siteId',
    says: 'GET /v1/connect/sites/:siteId answers one',
  },
  'connect.sites-update': {
    from: elsewhere,
    route: 'PATCH /v1/connect/sites/:siteId',
    says: 'PATCH /v1/connect/sites/:siteId changes one, and no other',
  },
  'connect.sites-delete': {
    from: elsewhere,
    route: 'DELETE /v1/connect/sites/:siteId',
    says: 'DELETE /v1/connect/sites/:siteId removes one',
  },
  'connect.secret': {
    from: elsewhere,
    route: 'POST /v1/connect/sites/:siteId/secret',
    says: 'POST …/secret shows once the secret that signs the users of a site',
  },
  'connect.agents': {
    from: elsewhere,
    route: 'GET /v1/connect/agents',
    says: 'GET /v1/connect/agents lists the agents',
  },
  'connect.agents-add': {
    from: elsewhere,
    route: 'POST /v1/connect/agents',
    says: 'POST /v1/connect/agents gives a member a seat, without which a user cannot use the inbox',
  },
  'connect.agents-delete': {
    from: elsewhere,
    route: 'DELETE /v1/connect/agents/:userId',
    says: 'DELETE /v1/connect/agents/:userId takes the seat away',
  },
  'connect.blocks': {
    from: elsewhere,
    route: 'GET /v1/connect/blocks',
    says: 'GET /v1/connect/blocks lists who may not write',
  },
  'connect.blocks-create': {
    from: elsewhere,
    route: 'POST /v1/connect/blocks',
    says: 'POST /v1/connect/blocks keeps a visitor from writing',
  },
  'connect.blocks-delete': {
    from: elsewhere,
    route: 'DELETE /v1/connect/blocks',
    says: 'DELETE /v1/connect/blocks lets the visitor write again',
  },
  'connect.replies': {
    from: 'issue 42',
    route: 'GET /v1/connect/replies',
    says: 'GET /v1/connect/replies lists the saved replies',
  },
  'connect.replies-create': {
    from: 'issue 42',
    route: 'POST /v1/connect/replies',
    says: 'POST /v1/connect/replies adds a text that agents insert into answers, under a name of its own',
  },
  'connect.replies-update': {
    from: 'issue 42',
    route: 'PATCH /v1/connect/replies/:replyId',
    says: 'PATCH /v1/connect/replies/:replyId changes one',
  },
  'connect.replies-delete': {
    from: 'issue 42',
    route: 'DELETE /v1/connect/replies/:replyId',
    says: 'DELETE /v1/connect/replies/:replyId removes one',
  },
  'widget.site': {
    from: 'decision 0045',
    route: 'GET /v1/widget/site',
    says: 'GET /v1/widget/site answers the name and the colours of the widget to pages of the allowed origins',
  },
  'widget.session': {
    from: elsewhere,
    route: 'POST /v1/widget/sessions',
    says: 'POST /v1/widget/sessions begins a session on an allowed origin, and identifies a signed user',
  },
  'widget.conversations': {
    from: elsewhere,
    route: 'GET /v1/widget/conversations',
    says: 'GET /v1/widget/conversations lists those of the visitor',
  },
  'widget.messages': {
    from: elsewhere,
    route: 'GET /v1/widget/messages',
    says: 'GET /v1/widget/messages?after= answers what the visitor may see',
  },
  'widget.send': {
    from: elsewhere,
    route: 'POST /v1/widget/messages',
    says: 'POST /v1/widget/messages sends a message, once for its echoId',
  },
  'widget.read': {
    from: elsewhere,
    route: 'POST /v1/widget/read',
    says: 'POST /v1/widget/read marks what the visitor has read',
  },
  'widget.typing': {
    from: elsewhere,
    route: 'POST /v1/widget/typing',
    says: 'POST /v1/widget/typing shows the agents that the visitor is typing',
  },
  'widget.file': {
    from: elsewhere,
    route: 'POST /v1/widget/attachments',
    says: 'POST /v1/widget/attachments signs an address for a file of the visitor',
  },
  'widget.read-file': {
    from: elsewhere,
    route: 'GET /v1/widget/attachments/:attachmentId',
    says: 'GET /v1/widget/attachments/:attachmentId signs an address to read a file by',
  },
  'widget.stream': {
    from: elsewhere,
    route: 'GET /v1/widget/stream',
    says: 'GET /v1/widget/stream hints at what changes for the visitor',
  },
} as const satisfies Record<string, Row>;
