/**
 * Why an image could not be transformed.
 *
 * - `busy`: too many transforms wait, one waited too long, or the transformer was closed. A retry may succeed.
 * - `unreadable`: the source is not an image, is damaged, or has a format that is not allowed.
 * - `too-large`: the source has too many bytes or pixels, or the result exceeds the limits of its format.
 * - `too-slow`: the time limit was exceeded.
 * - `failed`: an internal error.
 */
export type TransformFailure = 'busy' | 'unreadable' | 'too-large' | 'too-slow' | 'failed';

/** The message and the cause are for the operator's log. */
export class TransformError extends Error {
  readonly reason: TransformFailure;

  constructor(reason: TransformFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransformError';
    this.reason = reason;
  }
}
