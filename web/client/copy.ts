/** Shows the copy buttons of a page, where the browser lets pages write to the clipboard. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy ?? '');
  const outcome = button.nextElementSibling;
  if (!source || !outcome || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(textOf(source)).then(
      () => announce(outcome, button.dataset.copied),
      () => announce(outcome, button.dataset.failed),
    );
  });
}

/** The text of the source; of several samples in it, the one that is shown. */
function textOf(source: HTMLElement): string {
  const samples = [...source.querySelectorAll('pre')];
  const shown = samples.find((sample) => sample.offsetParent !== null) ?? source;
  return (shown.textContent ?? '').trim();
}

/** Screen readers only announce a changed text, so a repeated one is cleared first. */
function announce(outcome: Element, words = ''): void {
  outcome.textContent = '';
  requestAnimationFrame(() => {
    outcome.textContent = words;
  });
}
