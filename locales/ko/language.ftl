language-decimal = .
language-thousands = ,
language-minute = %Y년 %-m월 %-d일 %H:%M
language-list = { $first }, { $next }
language-parts = { $first }; { $next }
language-sentence = { $text }.
language-han-spaces = yes
