// For `--import`, and for an entry of JavaScript.
import { registerStripTypesHook } from './without-types.js';

registerStripTypesHook();
