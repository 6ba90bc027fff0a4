import { isForPage } from './page-keys.ts';

/** The order at the load of the page, because a conversation moves in the list when it is read. */
const order = linksOfList().map(({ pathname }) => pathname);

function linksOfList(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('#list li a')];
}

function openAfter(step: 1 | -1): void {
  const at = order.indexOf(location.pathname);
  const next = at === -1 && step === -1 ? undefined : order[at + step];
  linksOfList()
    .find(({ pathname }) => pathname === next)
    ?.click();
}

const actions: Record<string, () => void> = {
  j: () => openAfter(1),
  k: () => openAfter(-1),
  r: () => document.getElementById('text')?.focus(),
  e: () => document.querySelector<HTMLElement>('#head form > button[name="status"]')?.click(),
  Escape: focusList,
};

/** Focuses the open conversation in the list; on a phone, which shows one pane at a time, goes to the list. */
export function focusList(): void {
  const link = document.querySelector<HTMLElement>('#list [aria-current], #list a');
  if (link?.checkVisibility()) link.focus();
  else document.querySelector<HTMLElement>('.back')?.click();
}

/** The keys of the inbox, which `inbox.keys` of its texts lists. */
addEventListener('keydown', (event) => {
  const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
  if (!action || event.shiftKey || event.defaultPrevented || !isForPage(event)) return;
  event.preventDefault();
  action();
});
