"""What every view needs, in whichever room it is: who may ask how often, what a stranger is told, the live page."""
