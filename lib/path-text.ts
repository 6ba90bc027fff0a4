import { z } from 'zod';
import { type IdPrefix, idPattern } from './ids.ts';

/**
 * A text in a path that names something. Any text is accepted, because one that names nothing is 404, never 400; the
 * pattern is for the API document.
 */
export const pathText = (pattern: RegExp) => z.string().meta({ pattern: pattern.source });

/** The same for an id. */
export const pathId = (prefix: IdPrefix) => pathText(idPattern(prefix));
