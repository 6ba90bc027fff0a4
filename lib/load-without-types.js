// For `--import`, and for a JavaScript entry point.
import { registerStripTypesHook } from './without-types.js';

registerStripTypesHook();
