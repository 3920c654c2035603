/** The texts of the parts that are loaded late: they are there before the first of these parts is shown. */
import late from './texts.json?late'
import { addTexts } from './texts.js'

addTexts(late)
