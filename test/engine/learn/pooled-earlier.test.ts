/**
 * Models of the earlier kinds answer as they did when each was the newest: `pooled/1`, before the nearest neighbour became
 * a member, `pooled/2`, before the nearest labelled event was recalled, `pooled/3`, before answers were sharpened,
 * `pooled/4`, whose trees see pairs of values and how often numbers come, `pooled/5`, whose trees do not see what one example has and
 * the stream often, `pooled/6`, whose distances are the mean over all numbers, `pooled/7`, before classes were balanced, `pooled/8`, whose linear member
 * goes on beyond the numbers that were known, `pooled/9`, which knew words by themselves alone, `pooled/10`, which held out nothing of a handful, and `pooled/11`, with fewer bins of numbers and another rule.
 *
 * pooled-1.base64 to pooled-11.base64 are such models, gzipped, trained by the learners of those times on 40 examples of
 * three labels (the last four on 160: fewer are not balanced) with the objective `macro_f1`; the answers below are what those learners said.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { PointValues } from '../../../engine/learn/classifier.js'
import { loadModel } from '../../../engine/learn/registry.js'

interface Answer {
  readonly values: PointValues
  readonly probabilities: readonly number[]
  readonly label: number
  readonly outlierScore: number
}

interface Earlier {
  readonly kind: string
  /** Beside the source of this test: data is not compiled. */
  readonly file: string
  /** 40 where it is not given. */
  readonly examples?: number
  readonly features: number
  readonly logLoss: number
  readonly accuracy: number
  readonly answers: readonly Answer[]
}

const first: Earlier = {
  kind: 'pooled/1',
  file: 'pooled-1.base64',
  features: 142,
  logLoss: 0.2334958575,
  accuracy: 0.9333333333,
  answers: [
    {
      values: ['login failed for root', 293, 'c', null, '10.0.2.4'],
      probabilities: [0.0255650755, 0.1803555821, 0.7940793423],
      label: 2,
      outlierScore: 0.8941085634,
    },
    {
      values: ['R57-M0-N4-C:J16', 904, 'c', null, '10.0.1.8'],
      probabilities: [0.0122218497, 0.9561043746, 0.0316737757],
      label: 1,
      outlierScore: 0.1094323797,
    },
    {
      values: ['service restarted', 132, 'a', ['x', 'y'], '10.0.1.4'],
      probabilities: [0.9440496616, 0.0089674666, 0.0469828718],
      label: 0,
      outlierScore: 0.8503956815,
    },
    {
      values: ['login failed for root', 484, 'b', ['x', 'y'], '10.0.0.5'],
      probabilities: [0.0303947085, 0.3289005564, 0.6407047351],
      label: 2,
      outlierScore: 1.1485281313,
    },
    {
      values: ['login failed for root', 29, 'a', ['x', 'y'], '10.0.2.3'],
      probabilities: [0.9678703957, 0.0097752969, 0.0223543074],
      label: 0,
      outlierScore: 0.4496705314,
    },
    {
      values: ['login failed for root', 593, 'c', null, '10.0.2.7'],
      probabilities: [0.0148591499, 0.8761080264, 0.1090328237],
      label: 1,
      outlierScore: 0.2719133118,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.5178890462, 0.050748347, 0.4313626067],
      label: 0,
      outlierScore: 6.6614948058,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.4956502846, 0.4557119284, 0.048637787],
      label: 1,
      outlierScore: 5.8196918283,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.0191371207, 0.0496150712, 0.931247808],
      label: 2,
      outlierScore: 5.1093353914,
    },
    {
      values: ['login failed for root', 165, 'c', null, '10.0.1.4'],
      probabilities: [0.0212849409, 0.0199265386, 0.9587885205],
      label: 2,
      outlierScore: 0.0995362003,
    },
  ],
}

const second: Earlier = {
  kind: 'pooled/2',
  file: 'pooled-2.base64',
  features: 299,
  logLoss: 0.402907674,
  accuracy: 0.8450704225,
  answers: [
    {
      values: ['service restarted', 169, 'b', ['x'], '10.0.0.0'],
      probabilities: [0.9362287676, 0.0385556708, 0.0252155615],
      label: 0,
      outlierScore: 1.0260082328,
    },
    {
      values: ['service restarted', 303, 'b', true, '10.0.0.0'],
      probabilities: [0.8768060953, 0.0869149338, 0.036278971],
      label: 0,
      outlierScore: 1.3307640164,
    },
    {
      values: ['service restarted', 755, 'c', ['x'], '10.0.0.1'],
      probabilities: [0.188868541, 0.7762915566, 0.0348399024],
      label: 1,
      outlierScore: 0.8418756682,
    },
    {
      values: ['R8-M0-N6', 243, 'b', ['x'], '10.0.0.3'],
      probabilities: [0.685339126, 0.2751424525, 0.0395184215],
      label: 0,
      outlierScore: 2.0624224139,
    },
    {
      values: ['R86-M0-N3', 64, 'c', null, '10.0.0.4'],
      probabilities: [0.6064331398, 0.3551916109, 0.0383752493],
      label: 0,
      outlierScore: 2.37850078,
    },
    {
      values: ['R18-M0-N7', 85, 'b', ['x'], '10.0.2.8'],
      probabilities: [0.9183361366, 0.0557908165, 0.0258730469],
      label: 0,
      outlierScore: 0,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.5671780912, 0.3887709521, 0.0440509567],
      label: 0,
      outlierScore: 5.2070011646,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.1047102465, 0.8553857772, 0.0399039763],
      label: 1,
      outlierScore: 3.5524048338,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.7644820668, 0.0658620202, 0.1696559131],
      label: 0,
      outlierScore: 3.6193837694,
    },
  ],
}

const third: Earlier = {
  kind: 'pooled/3',
  file: 'pooled-3.base64',
  features: 299,
  logLoss: 0.3871662689,
  accuracy: 0.8169014085,
  answers: [
    {
      values: ['service restarted', 169, 'b', ['x'], '10.0.0.0'],
      probabilities: [0.9173760254, 0.0485025478, 0.0341214268],
      label: 0,
      outlierScore: 1.0260082328,
    },
    {
      values: ['service restarted', 303, 'b', true, '10.0.0.0'],
      probabilities: [0.8532744153, 0.1037395273, 0.0429860574],
      label: 0,
      outlierScore: 1.3307640164,
    },
    {
      values: ['service restarted', 755, 'c', ['x'], '10.0.0.1'],
      probabilities: [0.1859760425, 0.7767165114, 0.0373074461],
      label: 1,
      outlierScore: 0.8418756682,
    },
    {
      values: ['R8-M0-N6', 243, 'b', ['x'], '10.0.0.3'],
      probabilities: [0.6493095039, 0.3065388115, 0.0441516846],
      label: 0,
      outlierScore: 2.0624224139,
    },
    {
      values: ['R86-M0-N3', 64, 'c', null, '10.0.0.4'],
      probabilities: [0.61204525, 0.3399075182, 0.0480472318],
      label: 0,
      outlierScore: 2.37850078,
    },
    {
      values: ['R18-M0-N7', 85, 'b', ['x'], '10.0.2.8'],
      probabilities: [0.9724634892, 0.0164831921, 0.0110533187],
      label: 0,
      outlierScore: 0,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.5346509432, 0.4084613512, 0.0568877056],
      label: 0,
      outlierScore: 5.2070011646,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.1230394713, 0.8275677681, 0.0493927605],
      label: 1,
      outlierScore: 3.5524048338,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.7007011813, 0.0821602483, 0.2171385704],
      label: 0,
      outlierScore: 3.6193837694,
    },
  ],
}

const fourth: Earlier = {
  kind: 'pooled/4',
  file: 'pooled-4.base64',
  features: 299,
  logLoss: 0.4384226333,
  accuracy: 0.9150789586,
  answers: [
    {
      values: ['service restarted', 169, 'b', ['x'], '10.0.0.0'],
      probabilities: [0.9324957647, 0.0381553337, 0.0293489015],
      label: 0,
      outlierScore: 0.8563411515,
    },
    {
      values: ['service restarted', 303, 'b', true, '10.0.0.0'],
      probabilities: [0.8263249668, 0.130679049, 0.0429959843],
      label: 0,
      outlierScore: 1.4416137055,
    },
    {
      values: ['service restarted', 755, 'c', ['x'], '10.0.0.1'],
      probabilities: [0.1780782281, 0.7789676913, 0.0429540806],
      label: 1,
      outlierScore: 0.8216148422,
    },
    {
      values: ['R8-M0-N6', 243, 'b', ['x'], '10.0.0.3'],
      probabilities: [0.7331897256, 0.2318327583, 0.0349775161],
      label: 0,
      outlierScore: 1.5060700098,
    },
    {
      values: ['R86-M0-N3', 64, 'c', null, '10.0.0.4'],
      probabilities: [0.8090388175, 0.1539865049, 0.0369746776],
      label: 0,
      outlierScore: 1.9692192136,
    },
    {
      values: ['R18-M0-N7', 85, 'b', ['x'], '10.0.2.8'],
      probabilities: [0.9778478972, 0.0119168918, 0.0102352109],
      label: 0,
      outlierScore: 0,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.6722018746, 0.273425724, 0.0543724015],
      label: 0,
      outlierScore: 5.2538700635,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.1500304982, 0.7994852987, 0.0504842031],
      label: 1,
      outlierScore: 3.7474002653,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.6140913415, 0.1037021657, 0.2822064928],
      label: 0,
      outlierScore: 3.6494015074,
    },
  ],
}

const fifth: Earlier = {
  kind: 'pooled/5',
  file: 'pooled-5.base64',
  features: 300,
  logLoss: 0.4285472556,
  accuracy: 0.8629489535,
  answers: [
    {
      values: ['service restarted', 169, 'b', ['x'], '10.0.0.0'],
      probabilities: [0.9244393454, 0.034913816, 0.0406468386],
      label: 0,
      outlierScore: 0.8861289103,
    },
    {
      values: ['service restarted', 303, 'b', true, '10.0.0.0'],
      probabilities: [0.8752044546, 0.0821645172, 0.0426310282],
      label: 0,
      outlierScore: 1.1959214083,
    },
    {
      values: ['service restarted', 755, 'c', ['x'], '10.0.0.1'],
      probabilities: [0.2164745031, 0.7384083149, 0.045117182],
      label: 1,
      outlierScore: 0.976125764,
    },
    {
      values: ['R8-M0-N6', 243, 'b', ['x'], '10.0.0.3'],
      probabilities: [0.7809631342, 0.1851641311, 0.0338727348],
      label: 0,
      outlierScore: 1.3048832969,
    },
    {
      values: ['R86-M0-N3', 64, 'c', null, '10.0.0.4'],
      probabilities: [0.6662523063, 0.2858113218, 0.0479363718],
      label: 0,
      outlierScore: 2.5848458662,
    },
    {
      values: ['R18-M0-N7', 85, 'b', ['x'], '10.0.2.8'],
      probabilities: [0.9773929083, 0.0122894367, 0.010317655],
      label: 0,
      outlierScore: 0,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.6220621109, 0.3199367112, 0.0580011779],
      label: 0,
      outlierScore: 5.5772978026,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.2327171205, 0.7165055221, 0.0507773575],
      label: 1,
      outlierScore: 5.2698524161,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.5957746636, 0.0823626409, 0.3218626955],
      label: 0,
      outlierScore: 2.9874365529,
    },
  ],
}

/** Of so few examples it sees what the learner before saw. */
const sixth: Earlier = { ...fifth, kind: 'pooled/6', file: 'pooled-6.base64' }

/** What it answers is the learner's before; how unlike all else an event is, it tells by other distances. */
const scores = [
  0.593676468, 0.8807546979, 0.8569036676, 1.3108373018, 2.4949807509, 0, 5.5183976427, 5.2173768532, 5.0249788367,
]
const seventh: Earlier = {
  ...fifth,
  kind: 'pooled/7',
  file: 'pooled-7.base64',
  answers: fifth.answers.map((answer, i) => ({ ...answer, outlierScore: scores[i]! })),
}

const eighth: Earlier = {
  kind: 'pooled/8',
  file: 'pooled-8.base64',
  examples: 160,
  features: 272,
  logLoss: 0.2515544424,
  accuracy: 0.9363913082,
  answers: [
    {
      values: ['disk almost full', 153, 'c', true, '10.0.2.2'],
      probabilities: [0.9392537172, 0.0444510742, 0.0162952086],
      label: 0,
      outlierScore: 0.2220395019,
    },
    {
      values: ['login failed for root', 365, 'a', ['x'], '10.0.0.8'],
      probabilities: [0.936992008, 0.031700859, 0.0313071329],
      label: 0,
      outlierScore: 0.2022659365,
    },
    {
      values: ['login failed for root', 209, 'b', true, '10.0.2.5'],
      probabilities: [0.2802722815, 0.0139543695, 0.705773349],
      label: 2,
      outlierScore: 1.6855959213,
    },
    {
      values: ['service restarted', 260, 'a', ['x'], '10.0.0.1'],
      probabilities: [0.9217478813, 0.0705238054, 0.0077283134],
      label: 0,
      outlierScore: 0.6927267511,
    },
    {
      values: ['login failed for root', 782, 'b', ['x', 'y'], '10.0.1.7'],
      probabilities: [0.3583454817, 0.0454711589, 0.5961833595],
      label: 2,
      outlierScore: 0.3229006725,
    },
    {
      values: ['disk almost full', 508, 'c', ['x', 'y'], '10.0.0.5'],
      probabilities: [0.9905906952, 0.0058148258, 0.003594479],
      label: 0,
      outlierScore: 0.0320760765,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.8355596712, 0.1405870341, 0.0238532946],
      label: 0,
      outlierScore: 6.1097594135,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.0346636427, 0.9468550526, 0.0184813048],
      label: 1,
      outlierScore: 5.6689977037,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.798484372, 0.0412673722, 0.1602482558],
      label: 0,
      outlierScore: 5.6956637198,
    },
  ],
}

const ninth: Earlier = {
  kind: 'pooled/9',
  file: 'pooled-9.base64',
  examples: 160,
  features: 850,
  logLoss: 0.4265819502,
  accuracy: 0.8885971305,
  answers: [
    {
      values: ['of of for office disk user please', 205, 'a', ['x'], '10.0.1.0'],
      probabilities: [0.908144255, 0.0584345564, 0.0334211886],
      label: 0,
      outlierScore: 0.2334698459,
    },
    {
      values: ['user since please the router for for today', 338, 'b', ['x', 'y'], '10.0.2.2'],
      probabilities: [0.0481162173, 0.0915135648, 0.8603702178],
      label: 2,
      outlierScore: 0.6248922146,
    },
    {
      values: ['user again broken switch slow is today is', 288, 'c', null, '10.0.1.4'],
      probabilities: [0.0810770639, 0.0410015048, 0.8779214313],
      label: 2,
      outlierScore: 0.9497518718,
    },
    {
      values: ['volume please slow please office', 457, 'c', ['x', 'y'], '10.0.1.3'],
      probabilities: [0.9450230547, 0.0417607878, 0.0132161575],
      label: 0,
      outlierScore: 0.3587971026,
    },
    {
      values: ['office today since office cable office', 181, 'b', null, '10.0.0.4'],
      probabilities: [0.0720018516, 0.0661184334, 0.8618797151],
      label: 2,
      outlierScore: 0.311330655,
    },
    {
      values: ['switch the for office of slow of', 782, 'c', ['x', 'y'], '10.0.2.7'],
      probabilities: [0.0346812821, 0.0185383055, 0.9467804124],
      label: 2,
      outlierScore: 0.0783478233,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.2759106318, 0.3085754112, 0.415513957],
      label: 2,
      outlierScore: 7.3322257299,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.40353778, 0.2036324009, 0.392829819],
      label: 0,
      outlierScore: 7.0543991177,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.0509892091, 0.8381792941, 0.1108314968],
      label: 1,
      outlierScore: 6.2926288711,
    },
  ],
}

const tenth: Earlier = {
  kind: 'pooled/10',
  file: 'pooled-10.base64',
  examples: 160,
  features: 527,
  logLoss: 0.5448782496,
  accuracy: 0.825088043,
  answers: [
    {
      values: ['volumeish help backuped please backuping today storagelike', 112, 'a', true, '10.0.2.8'],
      probabilities: [0.9487161856, 0.0196469165, 0.0316368979],
      label: 0,
      outlierScore: 0.2803377609,
    },
    {
      values: ['credentials and pin is usernames today accounting', 453, 'a', true, '10.0.0.6'],
      probabilities: [0.2560549001, 0.6329677154, 0.1109773845],
      label: 1,
      outlierScore: 0.5954229571,
    },
    {
      values: ['packeted the switchish is etherneted of wirelessish', 915, 'c', ['x', 'y'], '10.0.1.0'],
      probabilities: [0.0627037936, 0.0978983155, 0.8393978908],
      label: 2,
      outlierScore: 0.5259746728,
    },
    {
      values: ['wirelessware please dnsed and switchlike broken ethernetware', 929, 'c', true, '10.0.0.5'],
      probabilities: [0.0127944766, 0.0264527001, 0.9607528234],
      label: 2,
      outlierScore: 0.0067681152,
    },
    {
      values: ['disks broken diskless for volumelike is volume', 913, 'c', ['x', 'y'], '10.0.2.0'],
      probabilities: [0.6814663305, 0.1011311776, 0.2174024919],
      label: 0,
      outlierScore: 0.6830128172,
    },
    {
      values: ['accountish for pinlike today usernameish is identitylike', 332, 'a', ['x', 'y'], '10.0.1.6'],
      probabilities: [0.0612931389, 0.902807515, 0.0358993461],
      label: 1,
      outlierScore: 0.0479016143,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.1734311981, 0.3508010047, 0.4757677972],
      label: 2,
      outlierScore: 6.2280694742,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.0631251435, 0.09944477, 0.8374300865],
      label: 2,
      outlierScore: 5.6343205941,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.4475356085, 0.4335466158, 0.1189177757],
      label: 0,
      outlierScore: 6.0388254349,
    },
  ],
}

const eleventh: Earlier = {
  kind: 'pooled/11',
  file: 'pooled-11.base64',
  examples: 160,
  features: 2637,
  logLoss: 0.4253973729,
  accuracy: 0.9044585987,
  answers: [
    {
      values: ['backuplike today backup for backuped help', 396, 'a', true, '10.0.0.8'],
      probabilities: [0.8236169204, 0.0949273692, 0.0814557105],
      label: 0,
      outlierScore: 1.3863451952,
    },
    {
      values: ['identitylike help pinish help passwordlike help', 446, 'b', ['x', 'y'], '10.0.0.7'],
      probabilities: [0.029683598, 0.8506208352, 0.1196955668],
      label: 1,
      outlierScore: 0.2251271454,
    },
    {
      values: ['switch broken wirelessish of wirelesss for', 741, 'c', null, '10.0.1.9'],
      probabilities: [0.0205736629, 0.030187921, 0.9492384161],
      label: 2,
      outlierScore: 0.5162964383,
    },
    {
      values: ['volumeed help backups the storage is', 120, 'a', true, '10.0.0.7'],
      probabilities: [0.903477245, 0.0566531634, 0.0398695916],
      label: 0,
      outlierScore: 1.0100543862,
    },
    {
      values: ['passwordlike please pins help pins is', 442, 'b', ['x', 'y'], '10.0.0.4'],
      probabilities: [0.0449745476, 0.8339428358, 0.1210826167],
      label: 1,
      outlierScore: 0.9835763272,
    },
    {
      values: ['switchish for switchlike of packet broken', 975, 'c', null, '10.0.0.0'],
      probabilities: [0.0254000861, 0.0397205588, 0.9348793551],
      label: 2,
      outlierScore: 0.4371378805,
    },
    {
      values: [null, null, null, null, null],
      probabilities: [0.2328956239, 0.5495471237, 0.2175572524],
      label: 1,
      outlierScore: 7.8377937491,
    },
    {
      values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'],
      probabilities: [0.0738958866, 0.3826618775, 0.5434422359],
      label: 2,
      outlierScore: 7.67367455,
    },
    {
      values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'],
      probabilities: [0.1459955101, 0.7487189717, 0.1052855182],
      label: 1,
      outlierScore: 6.6440339533,
    },
  ],
}

function close(ours: number, then: number, what: string): void {
  assert.ok(Math.abs(ours - then) < 1e-8, `${what}: ${ours}, was ${then}`)
}

for (const earlier of [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh]) {
  test(`a model of the kind ${earlier.kind} answers as it did`, () => {
    const file = new URL(`../../../../test/engine/learn/${earlier.file}`, import.meta.url)
    const model = loadModel(gunzipSync(Buffer.from(readFileSync(file, 'latin1'), 'base64')))
    const { kind, examples, features, logLoss, accuracy } = model.summary
    assert.deepEqual(
      { kind, examples, features },
      { kind: earlier.kind, examples: earlier.examples ?? 40, features: earlier.features },
    )
    close(logLoss ?? NaN, earlier.logLoss, 'log-loss')
    close(accuracy ?? NaN, earlier.accuracy, 'accuracy')
    const probabilities = new Float64Array(3)
    for (const { values, probabilities: then, label, outlierScore } of earlier.answers) {
      const what = JSON.stringify(values)
      close(model.assess(values, probabilities), outlierScore, `outlier score of ${what}`)
      then.forEach((probability, k) => close(probabilities[k] as number, probability, `label ${k} of ${what}`))
      assert.equal(model.choose(probabilities), label, what)
      model.predict(values, probabilities)
      then.forEach((probability, k) =>
        close(probabilities[k] as number, probability, `label ${k} of ${what}, predicted`),
      )
    }
  })
}
