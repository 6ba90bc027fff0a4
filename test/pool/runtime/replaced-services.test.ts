import { describeReplacedServices } from '../../support/replaced-services.ts';

describeReplacedServices('node');
