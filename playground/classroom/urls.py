"""Addresses of classes, below /class/."""

from django.contrib.auth.views import LogoutView
from django.urls import path, re_path

from playground.classroom import accounts, leaving, students, views

CLASS = r"(?P<public_id>[2-9a-z]{16})"
STUDENT = rf"{CLASS}/students/(?P<pk>[0-9]{{1,12}})"

urlpatterns = [
    path("", views.entrance, name="classes"),
    path("sign-up", accounts.sign_up, name="sign-up"),
    path("log-in", accounts.LogInForm.as_view(), name="login"),
    path("recover", accounts.recover, name="recover"),
    path("renew-recovery", accounts.renew_recovery, name="renew-recovery"),
    path("invite", accounts.invite, name="invite"),
    path("log-out", LogoutView.as_view(), name="logout"),
    path("delete-account", accounts.delete_account, name="account-delete"),
    path("new", views.new, name="class-new"),
    path("join/", students.join, name="join"),
    re_path(r"^join/(?P<code>[0-9A-Za-z-]{1,20})/\Z", students.join, name="join-code"),
    path("back", students.come_back, name="student-back"),
    path("me/", students.home, name="student"),
    path("me/vote/", students.vote, name="class-vote-page"),
    path("me/test/", views.paper, name="class-paper"),
    path("me/leave", students.leave, name="student-leave"),
    path("me/delete", students.delete, name="student-delete"),
    path("me/delete-work", students.delete_work, name="learner-delete"),
    path("my-data.json", leaving.download, name="my-data"),
    path("undo", students.undo, name="undo"),
    re_path(rf"^{CLASS}/\Z", views.classroom, name="class"),
    re_path(rf"^{CLASS}/change\Z", views.change, name="class-change"),
    re_path(rf"^{CLASS}/renew-code\Z", views.renew_code, name="class-renew-code"),
    re_path(rf"^{CLASS}/freeze\Z", views.freeze, name="class-freeze"),
    re_path(rf"^{CLASS}/push\Z", views.push, name="class-push"),
    re_path(rf"^{CLASS}/vote\Z", views.vote, name="class-vote"),
    re_path(rf"^{CLASS}/test\Z", views.lead, name="class-test"),
    re_path(rf"^{CLASS}/exam\.csv\Z", views.marks_table, name="class-exam-table"),
    re_path(rf"^{CLASS}/inventory\.csv\Z", views.inventory_table, name="class-inventory-table"),
    re_path(rf"^{CLASS}/delete\Z", views.delete, name="class-delete"),
    re_path(rf"^{CLASS}/unblock\Z", views.unblock, name="class-unblock"),
    re_path(rf"^{CLASS}/teachers\Z", views.teachers, name="class-teachers"),
    re_path(rf"^{CLASS}/lesson\Z", views.lesson, name="class-lesson"),
    re_path(rf"^{CLASS}/report/\Z", views.report, name="class-report"),
    re_path(rf"^{CLASS}/table\.csv\Z", views.table, name="class-table"),
    re_path(rf"^{CLASS}/votes\.csv\Z", views.votes_table, name="class-votes-table"),
    re_path(rf"^{CLASS}/qr\.svg\Z", views.qr, name="class-qr"),
    re_path(rf"^{CLASS}/projector/\Z", views.projector, name="class-projector"),
    re_path(rf"^{STUDENT}/\Z", views.student, name="class-student"),
    re_path(rf"^{STUDENT}/fork\Z", views.fork, name="class-student-fork"),
    re_path(rf"^{STUDENT}/rename\Z", views.rename, name="class-student-rename"),
    re_path(rf"^{STUDENT}/block\Z", views.block, name="class-student-block"),
    re_path(rf"^{STUDENT}/code\Z", views.code, name="class-student-code"),
    re_path(rf"^{STUDENT}/delete\Z", views.delete_student, name="class-student-delete"),
]
