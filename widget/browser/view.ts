import type { Draft } from '../../web/client/outbox.ts';
import type { Message, Session } from './api.ts';
import { createComposer } from './composer.ts';
import { write } from './dom.ts';
import { createLayout, type Layout, type Site } from './layout.ts';
import { Log, linked, type Written } from './log.ts';
import type { Sound } from './sound.ts';
import type { Texts } from './texts.ts';
import type { Thread } from './thread.ts';

/** State that the frame renders. */
type State = {
  /** Null until the session has begun. */
  session: Session | null;
  thread: Thread;
  drafts: readonly Draft<Written>[];
  status: string;
  isTyping: boolean;
  hasGivenContact: boolean;
};

export type View = {
  root: HTMLElement;
  show: (state: State) => void;
  /**
   * Scrolls to the end and focuses the composer, as soon as the frame is rendered and while `isWanted` returns true.
   */
  takeFocus: (isWanted: () => boolean) => void;
  scrollToEnd: () => void;
  /** Links an acknowledged draft to its message. */
  join: (echoId: string, messageId: string) => void;
  /** Disables writing. */
  disable: () => void;
};

type Acts = {
  close: () => void;
  earlier: () => void;
  retry: (echoId: string) => void;
  send: (written: Written) => void;
  type: () => void;
  download: (message: Message, attachmentId: string) => void;
  sound: Sound;
};

/** One attempt per animation frame; a frame that is not rendered has none. */
const maxFocusAttempts = 240;

export function createView(site: Site, texts: Texts, acts: Acts): View {
  const { close, earlier, retry, send, type, download, sound } = acts;
  const layout = createLayout(site, texts, {
    close,
    earlier,
    toggleSound() {
      sound.toggle();
      layout.showSound(sound.isOn());
    },
  });
  layout.showSound(sound.isOn());
  const log = new Log(layout.log, layout.top, { retry, download }, texts);
  const composer = createComposer(texts, { send, type });
  layout.root.append(composer.form);

  /**
   * A browser applies a hide or show of the frame with a delay. The frame cannot be focused until it is
   * rendered, and a late event of an earlier closing removes the focus.
   */
  function takeFocus(isWanted: () => boolean, attempts = maxFocusAttempts): void {
    requestAnimationFrame(() => {
      if (!isWanted()) return;
      const isFirst = attempts === maxFocusAttempts;
      if (isFirst || document.activeElement === document.body) {
        log.scrollToEnd();
        composer.focus();
      }
      if (attempts > 1) takeFocus(isWanted, attempts - 1);
    });
  }

  return {
    root: layout.root,
    show(state) {
      const { session, thread, drafts, hasGivenContact } = state;
      const { messages, ahead } = thread;
      const hasWritten = drafts.length > 0 || messages.some(({ from }) => from === 'visitor');
      const isOnline = session !== null && (messages.length > 0 ? thread.areAgentsOnline : session.agentsOnline);
      renderAround(layout, site, texts, { ...state, isOnline });
      composer.showContact(session !== null && !isOnline && !session.isIdentified && !hasWritten && !hasGivenContact);
      const agentReadSeq = thread.conversation?.agentReadSeq ?? 0;
      log.show({ messages, ahead, drafts, agentReadSeq, siteName: site.name || texts.team });
    },
    takeFocus,
    scrollToEnd: () => log.scrollToEnd(),
    join: (echoId, messageId) => log.join(echoId, messageId),
    disable: () => composer.setEnabled(false),
  };
}

/** Renders the parts around the messages. */
function renderAround(
  layout: Layout,
  { name, greeting }: Site,
  texts: Texts,
  { session, thread, status, isTyping, isOnline }: State & { isOnline: boolean },
): void {
  write(layout.title, name);
  write(layout.presence, session === null ? '' : isOnline ? texts.online : texts.offline);
  layout.presence.classList.toggle('online', isOnline);
  layout.earlier.hidden = !thread.hasEarlier;
  layout.greeting.hidden = greeting === '' || thread.hasEarlier;
  if (layout.greeting.textContent !== greeting) layout.greeting.replaceChildren(...linked(greeting));
  layout.closed.hidden = thread.conversation?.status !== 'closed';
  write(layout.status, status);
  layout.status.classList.toggle('typing', isTyping);
}
