#!/bin/sh
lpadmin -p office -E -v ipp://printer.local/ipp
