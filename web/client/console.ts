import { isForPage } from './page-keys.ts';
import { localizeTimes } from './times.ts';

localizeTimes(document);

const help = document.querySelector<HTMLDialogElement>('#shortcuts');
const helpButton = document.querySelector<HTMLElement>('[data-shortcuts]');

/** Goes to the search of the list. */
function findInList(): boolean {
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  search?.focus();
  search?.select();
  return search !== null;
}

function showHelp(): boolean {
  for (const part of help?.querySelectorAll<HTMLElement>('[data-needs]') ?? []) {
    part.hidden = !document.querySelector(part.dataset.needs ?? '');
  }
  // A closed menu gives the focus back to its button, where it returns to after the dialog.
  document.querySelector<HTMLElement>('#me:popover-open')?.hidePopover();
  help?.showModal();
  return help !== null;
}

const rowOf = (element: Element | null): Element | null => element?.closest('main :is(tr, li):has(a.name)') ?? null;

/** Moves the focus to the next or the previous row; to the first where no row has it. */
function moveBy(step: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('main a.name')];
  const now = rowOf(document.activeElement)?.querySelector<HTMLElement>('a.name');
  const next = links[now ? links.indexOf(now) + step : 0];
  next?.focus();
  return next !== undefined;
}

/** Ticks or unticks the focused row. */
function select(): boolean {
  const box = rowOf(document.activeElement)?.querySelector<HTMLInputElement>('.pick');
  box?.click();
  return box !== undefined;
}

/** The arrows scroll the page until a row has the focus. */
const moveInList = (step: 1 | -1): boolean => rowOf(document.activeElement) !== null && moveBy(step);

/** The keys of every page. A function returns false where its key has no use. Enter needs none: it opens the link. */
const keys = new Map<string, () => boolean>([
  ['/', findInList],
  ['?', showHelp],
  ['j', () => moveBy(1)],
  ['k', () => moveBy(-1)],
  ['ArrowDown', () => moveInList(1)],
  ['ArrowUp', () => moveInList(-1)],
  ['x', select],
]);

addEventListener('keydown', (event) => {
  const act = keys.get(event.key);
  if (act && !event.defaultPrevented && isForPage(event) && act()) event.preventDefault();
});

if (help && helpButton) {
  helpButton.hidden = false;
  helpButton.addEventListener('click', showHelp);
}
