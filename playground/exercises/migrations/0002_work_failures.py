"""Work knows its wrong answers and its last right step; what is kept already is counted."""

from django.db import migrations, models


def count(apps, _editor):
    """Count the wrong answers of the work that is there: a right step has no feedback, so it is none."""
    work_model = apps.get_model("exercises", "Work")
    for work in work_model.objects.prefetch_related("answers").iterator(chunk_size=500):
        answers = sorted(work.answers.all(), key=lambda each: each.number)
        wrong = [bool(not each.passed and each.verdict.get("feedback")) for each in answers]
        right = [each.at for each, is_wrong in zip(answers, wrong) if not is_wrong]
        work.failures = sum(wrong)
        work.wrong = bool(wrong and wrong[-1])
        work.right_at = right[-1] if right else None
        work.right_first = bool(work.done_at and not work.failures and not work.solution_shown)
        work.save(update_fields=["failures", "wrong", "right_at", "right_first"])


class Migration(migrations.Migration):
    dependencies = [("exercises", "0001_initial")]

    operations = [
        migrations.AddField("work", "failures", models.PositiveIntegerField(default=0)),
        migrations.AddField(
            "work", "wrong", models.BooleanField(default=False, help_text="the last answer was wrong")
        ),
        migrations.AddField(
            "work", "right_at", models.DateTimeField(null=True, help_text="the last right answer or step")
        ),
        migrations.AddField(
            "work",
            "right_first",
            models.BooleanField(default=False, help_text="done without a wrong answer, and without the solution"),
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
