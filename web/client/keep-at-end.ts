const nearEnd = 80;

/** Keeps the end of a scrolled element in view when its size changes, as when the keyboard of a phone appears. */
export function keepAtEnd(root: HTMLElement): void {
  let isAtEnd = true;
  let size = '';
  const sizeNow = (): string => `${root.clientWidth} ${root.clientHeight}`;
  root.addEventListener('scroll', () => {
    // A resize also fires a scroll event, which is not an action of the reader.
    if (sizeNow() === size) isAtEnd = root.scrollHeight - root.scrollTop - root.clientHeight < nearEnd;
  });
  new ResizeObserver(() => {
    size = sizeNow();
    if (isAtEnd) root.scrollTop = root.scrollHeight;
  }).observe(root);
}
