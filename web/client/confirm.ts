/** Shows a confirmation dialog before a form is submitted. Without this script the form is submitted directly. */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-confirm]')) {
  const dialog = document.getElementById(form.dataset.confirm ?? '');
  if (dialog instanceof HTMLDialogElement) confirmFirst(form, dialog);
}

function confirmFirst(form: HTMLFormElement, dialog: HTMLDialogElement): void {
  form.addEventListener('submit', (event) => {
    const isConfirmed = dialog.returnValue === 'confirm';
    dialog.returnValue = '';
    if (isConfirmed) return;
    event.preventDefault();
    dialog.showModal();
  });
  dialog.addEventListener('close', () => {
    if (dialog.returnValue === 'confirm') form.requestSubmit();
  });
}
