/** Whether a key is for the page: not while someone types, with a modifier but Shift, or with an open window or menu. */
export function isForPage({ target, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing) return false;
  if (document.querySelector('dialog[open], :popover-open')) return false;
  const field = 'input:not([type="checkbox"]), select, textarea';
  return !(target instanceof HTMLElement && (target.isContentEditable || target.matches(field)));
}
