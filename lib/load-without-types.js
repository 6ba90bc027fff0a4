// For `--import`, and for an entry of JavaScript.
import { loadWithoutTypes } from './without-types.js';

loadWithoutTypes();
