from hondius.operate.cli.main import main

main()
