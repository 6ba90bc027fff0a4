import { registerStripTypesHook } from './strip-types.js';

// For `--import`, and for a JavaScript entry point.

registerStripTypesHook();
