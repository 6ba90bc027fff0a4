import { z } from 'zod';
import { type IdPrefix, idPattern } from './ids.ts';

/**
 * A text parameter of a path that names a resource. Any text is accepted, because an unknown name is 404, not 400; the
 * pattern is for the API document.
 */
export const pathText = (pattern: RegExp) => z.string().meta({ pattern: pattern.source });

/** An id parameter of a path; see {@link pathText}. */
export const pathId = (prefix: IdPrefix) => pathText(idPattern(prefix));
