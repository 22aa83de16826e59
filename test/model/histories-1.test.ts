import { modelTest } from './share.ts'

modelTest(0)
