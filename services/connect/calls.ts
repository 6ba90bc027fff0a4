/** The actions of the service by name, for typed calls. Written by `npm run generate`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
    'connect.agents.add': typeof import('./agents.ts').addAgent;
    'connect.agents.delete': typeof import('./agents.ts').deleteAgent;
    'connect.agents.list': typeof import('./agents.ts').listAgents;
    'connect.attachments.create': typeof import('./attachments.ts').createAttachment;
    'connect.attachments.read': typeof import('./attachments.ts').readAttachment;
    'connect.blocks.create': typeof import('./blocks.ts').createBlock;
    'connect.blocks.delete': typeof import('./blocks.ts').deleteBlock;
    'connect.blocks.list': typeof import('./blocks.ts').listBlocks;
    'connect.conversations.list': typeof import('./conversations/list-conversations.ts').listConversations;
    'connect.conversations.looking': typeof import('./conversations/update-conversation.ts').looking;
    'connect.conversations.read': typeof import('./conversations/list-conversations.ts').readConversation;
    'connect.conversations.read-up-to': typeof import('./conversations/update-conversation.ts').readUpTo;
    'connect.conversations.typing': typeof import('./conversations/update-conversation.ts').typing;
    'connect.conversations.update': typeof import('./conversations/update-conversation.ts').updateConversation;
    'connect.customers.erase': typeof import('./cleanup.ts').eraseCustomer;
    'connect.messages.create': typeof import('./conversations/reply.ts').reply;
    'connect.messages.list': typeof import('./conversations/reply.ts').listMessages;
    'connect.messages.notify': typeof import('./conversations/notify.ts').notify;
    'connect.notes.create': typeof import('./conversations/reply.ts').addNote;
    'connect.organizations.erase': typeof import('./cleanup.ts').eraseOrganization;
    'connect.quota.settle': typeof import('./seats.ts').settleQuota;
    'connect.replies.create': typeof import('./saved-replies.ts').createReply;
    'connect.replies.delete': typeof import('./saved-replies.ts').deleteReply;
    'connect.replies.list': typeof import('./saved-replies.ts').listReplies;
    'connect.replies.update': typeof import('./saved-replies.ts').updateReply;
    'connect.settings.read': typeof import('./sites/sites.actions.ts').readSettings;
    'connect.settings.write': typeof import('./sites/sites.actions.ts').writeSettings;
    'connect.sites.create': typeof import('./sites/sites.actions.ts').createSite;
    'connect.sites.create-secret': typeof import('./sites/create-secret.ts').createSecret;
    'connect.sites.delete': typeof import('./sites/sites.actions.ts').deleteSite;
    'connect.sites.list': typeof import('./sites/sites.actions.ts').listSites;
    'connect.sites.read': typeof import('./sites/sites.actions.ts').readSite;
    'connect.sites.update': typeof import('./sites/sites.actions.ts').updateSite;
    'connect.stream': typeof import('./widget/stream.ts').agentStream;
    'connect.widget.create-attachment': typeof import('./attachments.ts').createWidgetAttachment;
    'connect.widget.create-message': typeof import('./widget/messages.ts').createWidgetMessage;
    'connect.widget.create-session': typeof import('./widget/create-session.ts').createSession;
    'connect.widget.list-conversations': typeof import('./widget/messages.ts').listWidgetConversations;
    'connect.widget.list-messages': typeof import('./widget/messages.ts').listWidgetMessages;
    'connect.widget.read-attachment': typeof import('./attachments.ts').readWidgetAttachment;
    'connect.widget.read-site': typeof import('./widget/site.ts').readWidgetSite;
    'connect.widget.read-up-to': typeof import('./widget/messages.ts').readWidgetUpTo;
    'connect.widget.stream': typeof import('./widget/stream.ts').widgetStream;
    'connect.widget.typing': typeof import('./widget/messages.ts').widgetTyping;
  }
}

export {};
