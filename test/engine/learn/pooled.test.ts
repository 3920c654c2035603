import { pooled } from '../../../engine/learn/pooled.js'
import { classifierContract } from '../../contracts/classifier.js'

classifierContract('pooled', pooled)
