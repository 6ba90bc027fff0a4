/** Shows the copy buttons of a page, where the browser lets pages write to the clipboard. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy ?? '');
  const outcome = button.nextElementSibling;
  if (!source || !outcome || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(source.textContent.trim()).then(
      () => announce(outcome, button.dataset.copied),
      () => announce(outcome, button.dataset.failed),
    );
  });
}

/** Screen readers only announce a changed text, so a repeated one is cleared first. */
function announce(outcome: Element, words = ''): void {
  outcome.textContent = '';
  requestAnimationFrame(() => {
    outcome.textContent = words;
  });
}
