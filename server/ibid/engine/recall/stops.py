"""The stems of stop words and weak words, as data: making them takes 10 ms (R3).

The words themselves stand in `ibid.engine.recall.terms`; a test holds the two together.
"""

from __future__ import annotations

STOP_STEMS = (
    "a about abov actual after again against all also an and ani as at be becaus"
    " befor below between both but by can cannot could d do down dure each els ever"
    " few for from further have he hei hello her here herself hi him himself how i if"
    " in into it itself just let ll m mai mayb me might mine more most must my myself"
    " no nor not now of off ok okai on onc onli or ought our ourselv out over own"
    " pleas re realli s same shall she should so some still such t than thank that the"
    " thei their them themselv then there these thi those through to too under until"
    " up us ve veri we well what when where which while who whom whose why will with"
    " would ye yet you your yourself"
)
WEAK_STEMS = (
    "add call case chang check code creat file find first fix get give go good help"
    " implement issu know last like line look make need new next part problem project"
    " put question read repo repositori run sai see set show take tell thing think"
    " time try two updat wai want work write"
)
