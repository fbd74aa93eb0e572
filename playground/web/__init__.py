"""What every view needs, in whichever room it is: limits for each visitor, error answers, the live page."""
