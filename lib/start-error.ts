/** What keeps the platform from starting, as a sentence for the operator; it is shown without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
