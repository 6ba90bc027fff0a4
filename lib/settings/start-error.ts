/** An error that prevents the start, as a sentence for the operator; it is shown without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
