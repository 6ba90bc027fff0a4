import { Readable } from 'node:stream';
import { z } from 'zod';
import { bytesInput } from '../../../lib/contract/contract.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { imageTransformer, transformRefusal } from './transformer.ts';

/** A PNG of this many pixels at most fits an answer that crosses the broker, also without any compression. */
const maxPixels = 120_000;

/**
 * `storage.system.render-image`, for services that keep a small image themselves: decodes an image in the worker
 * processes, as public images are, and encodes it as a PNG without metadata, at most as large as the box.
 */
export const renderSystemImage = defineAction({
  summary: 'Render an image of a service as a small PNG',
  permission: 'internal',
  safe: true,
  input: {
    body: z
      .strictObject({ orgId: z.string(), source: bytesInput, maxWidth: z.int().min(1), maxHeight: z.int().min(1) })
      .refine(({ maxWidth, maxHeight }) => maxWidth * maxHeight <= maxPixels, 'Must be a smaller box.'),
  },
  output: z.strictObject({ png: z.base64() }),
  errors: ['RATE_LIMITED'],
  async handler({ body: { orgId, source, maxWidth: width, maxHeight: height } }) {
    const transformation = { width, height, fit: 'inside', quality: 100, format: 'png' } as const;
    try {
      const open = async () => Readable.from([source]);
      const { bytes } = await imageTransformer().transform(open, transformation, { owner: orgId });
      return { png: bytes.toString('base64') };
    } catch (error) {
      throw transformRefusal(error, 'body');
    }
  },
});
