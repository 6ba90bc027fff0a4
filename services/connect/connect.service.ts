import type { Context, Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { standingEvents } from '../../lib/clients/organizations.ts';
import { drainQuotaCommits, type QuotaCaller } from '../../lib/clients/quota.ts';
import { cron, daily, everyMinutes, sweeping } from '../../mixins/cron/cron.ts';
import { mongo } from '../../mixins/mongo.ts';
import { AgentModel } from '../../models/connect/agent.ts';
import { AttachmentModel } from '../../models/connect/attachment.ts';
import { BlockModel } from '../../models/connect/block.ts';
import { ConversationModel } from '../../models/connect/conversation.ts';
import { MessageModel } from '../../models/connect/message.ts';
import { RateWindowModel } from '../../models/connect/rate-window.ts';
import { SavedReplyModel } from '../../models/connect/saved-reply.ts';
import { SiteModel } from '../../models/connect/site.ts';
import { VisitorModel } from '../../models/connect/visitor.ts';
import { addAgent, deleteAgent, listAgents, removeFormerMembers } from './agents.ts';
import {
  createAttachment,
  createWidgetAttachment,
  readAttachment,
  readWidgetAttachment,
  sweepUnusedAttachments,
} from './attachments.ts';
import { createBlock, deleteBlock, listBlocks } from './blocks.ts';
import { eraseCustomer, eraseOrganization, sweepRetention } from './cleanup.ts';
import { listConversations, readConversation } from './conversations/list-conversations.ts';
import { notify } from './conversations/notify.ts';
import { addNote, listMessages, reply } from './conversations/reply.ts';
import { looking, readUpTo, typing, updateConversation } from './conversations/update-conversation.ts';
import { framePages } from './pages/frame.ts';
import { inboxPages } from './pages/inbox/inbox.ts';
import { websitesPages } from './pages/websites/websites.ts';
import { createReply, deleteReply, listReplies, updateReply } from './saved-replies.ts';
import { recountAllSeats, settleQuota, sweepRemovals } from './seats.ts';
import { createSecret } from './sites/create-secret.ts';
import {
  createSite,
  deleteSite,
  listSites,
  readSettings,
  readSite,
  updateSite,
  writeSettings,
} from './sites/sites.actions.ts';
import { sweepRateWindows } from './visitors/rate-limits.ts';
import { createSession } from './widget/create-session.ts';
import {
  createWidgetMessage,
  listWidgetConversations,
  listWidgetMessages,
  readWidgetUpTo,
  widgetTyping,
} from './widget/messages.ts';
import { readWidgetSite } from './widget/site.ts';
import { agentStream, widgetStream } from './widget/stream.ts';

const models = [
  SiteModel,
  AgentModel,
  VisitorModel,
  ConversationModel,
  MessageModel,
  AttachmentModel,
  BlockModel,
  SavedReplyModel,
  RateWindowModel,
];

/** The event of changed access in an organization, published by access. */
type AccessChanged = { orgId: string; subjects: string[] | null; change: { kind: string } | null };

/** Conversations between website visitors and the agents of organizations. */
const connect: ServiceSchema = {
  name: 'connect',
  metadata: { erases: 'organizations.erase', erasesCustomers: 'customers.erase' },
  mixins: [
    cron(
      sweeping('connect.cleanup', everyMinutes(1), (broker, sweep) => sweepRemovals(callerOf(broker), sweep)),
      sweeping('connect.attachments', everyMinutes(1), sweepUnusedAttachments),
      sweeping('connect.seats', daily, (broker, sweep) => recountAllSeats(callerOf(broker), sweep)),
      { name: 'connect.limits', period: everyMinutes(1), run: (_period, signal) => sweepRateWindows(signal) },
      sweeping('connect.retention', everyMinutes(60), sweepRetention),
    ),
    mongo(...models),
  ],
  actions: {
    'settings.read': readSettings,
    'settings.write': writeSettings,
    'sites.list': listSites,
    'sites.create': createSite,
    'sites.read': readSite,
    'sites.update': updateSite,
    'sites.delete': deleteSite,
    'sites.create-secret': createSecret,
    'agents.list': listAgents,
    'agents.add': addAgent,
    'agents.delete': deleteAgent,
    'blocks.list': listBlocks,
    'blocks.create': createBlock,
    'blocks.delete': deleteBlock,
    'replies.list': listReplies,
    'replies.create': createReply,
    'replies.update': updateReply,
    'replies.delete': deleteReply,
    'conversations.list': listConversations,
    'conversations.read': readConversation,
    'conversations.update': updateConversation,
    'conversations.read-up-to': readUpTo,
    'conversations.typing': typing,
    'conversations.looking': looking,
    'messages.list': listMessages,
    'messages.create': reply,
    'messages.notify': notify,
    'notes.create': addNote,
    'attachments.create': createAttachment,
    'attachments.read': readAttachment,
    stream: agentStream,
    'widget.read-site': readWidgetSite,
    'widget.create-session': createSession,
    'widget.list-conversations': listWidgetConversations,
    'widget.list-messages': listWidgetMessages,
    'widget.create-message': createWidgetMessage,
    'widget.read-up-to': readWidgetUpTo,
    'widget.typing': widgetTyping,
    'widget.create-attachment': createWidgetAttachment,
    'widget.read-attachment': readWidgetAttachment,
    'widget.stream': widgetStream,
    'organizations.erase': eraseOrganization,
    'customers.erase': eraseCustomer,
    'quota.settle': settleQuota,
    ...framePages,
    ...inboxPages,
    ...websitesPages,
  },
  events: {
    ...standingEvents,
    // A member who leaves frees the seat. If the event is lost, adding the next agent frees it.
    async 'access.changed'(this: Service, ctx: Context<AccessChanged>) {
      const { orgId, subjects, change } = ctx.params;
      if (change !== null && change.kind !== 'subjectRemoved') return;
      await removeFormerMembers(callerOf(this.broker), orgId, subjects).catch((error: unknown) =>
        this.logger.warn('Seats of former members could not be freed; retried when the next agent is added', {
          orgId,
          error,
        }),
      );
    },
  },
  stopped: drainQuotaCommits,
};

/** The caller for quota changes outside of a request. */
const callerOf = (broker: ServiceBroker): QuotaCaller =>
  ({ broker, service: broker.getLocalService('connect') }) as QuotaCaller;

export default connect;
